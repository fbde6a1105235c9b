// Which colours a visitor has chosen, by the address or in Streamlit's menu.
import { equal } from "node:assert/strict";
import { chosen } from "../../assets/src/components/share.js";

Deno.test("the colours that a visitor has chosen are known from the address or from the menu", () => {
  const kept = {
    "stActiveTheme-/pairs-v2": '"Dark"',
    "stActiveTheme-/-v2": '"System"',
    other: '"Light"',
  };
  equal(chosen("?embed_options=light_theme", kept, "/pairs"), "light");
  equal(chosen("", kept, "/pairs"), "dark");
  equal(chosen("", kept, "/"), "");
  equal(chosen("?x=1&embed_options=DARK_THEME", {}, "/"), "dark");
  equal(chosen("?embed_options=purple_theme", {}, "/"), "");
});
