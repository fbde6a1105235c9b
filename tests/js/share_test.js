// Which colours a visitor has chosen, by the address or in Streamlit's menu.
import { equal } from "node:assert/strict";
import { themeOfVisitor } from "../../assets/src/host/theme.js";

Deno.test("the colours that a visitor has chosen are known from the address or from the menu", () => {
  const kept = {
    "stActiveTheme-/pairs-v2": '"Dark"',
    "stActiveTheme-/-v2": '"System"',
    other: '"Light"',
  };
  equal(themeOfVisitor("?embed_options=light_theme", kept, "/pairs"), "light");
  equal(themeOfVisitor("", kept, "/pairs"), "dark");
  equal(themeOfVisitor("", kept, "/"), "");
  equal(themeOfVisitor("?x=1&embed_options=DARK_THEME", {}, "/"), "dark");
  equal(themeOfVisitor("?embed_options=purple_theme", {}, "/"), "");
});
