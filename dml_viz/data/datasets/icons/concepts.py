"""The concepts of icons, with the names that icon sets give them, and the fonts with their licences."""

from dataclasses import dataclass

# The best known first, so that the first few make a small data set. Other names of a concept stand behind "=".
_NAMES = """
star key bell rocket anchor umbrella car=car-side heart camera scissors airplane=plane book home=house cloud fish=food-fish
flag gift lightbulb tree lock moon=weather-night trophy bike=bicycle bus cat hourglass=timer-sand leaf phone=telephone crown bed
ghost magnet cake=birthday-cake=cake-candles palette bug train flask=flask-conical envelope=email=mail mug=coffee=mug-hot
wheelchair puzzle=puzzle-piece robot pencil truck headphones t-shirt=tshirt=tshirt-crew scales=balance-scale=scale-balance compass
globe=earth=globe-hemisphere-west sun=white-balance-sunny=weather-sunny fire=flame dog=dog-side horse wallet eye
thumbs-up=thumb-up music=music-note thermometer search=magnify=magnifying-glass basketball trash=trash-can=delete=delete-bin
briefcase folder calendar gear=cog=settings image=picture shopping-cart=cart pushpin=push-pin=pin=thumbtack
save=floppy-disk=content-save drop=tint=water=droplet shield bullhorn=megaphone keyboard tag=price-tag newspaper calculator
clipboard credit-card=bank-card film=filmstrip=film-strip gas-pump=gas-station ticket medal printer qr-code=qrcode wrench map-pin
chat television=tv link rss ruler barcode battery=battery-full eraser vial=test-tube alarm=alarm-clock football
bank=building-columns=university shopping-bag=bag suitcase fingerprint handshake pen-nib laptop map cube inbox receipt clock
lifebuoy=life-ring knife notebook recycle chart-pie cookie door flashlight sword mouse thumbs-down=thumb-down chart-bar
dumbbell=barbell package basket=shopping-basket smiley=smile=emotion-happy target=bullseye asterisk baby rainbow shower volleyball
watch diamond martini=glass-cocktail=martini-glass gamepad brain skull paperclip snowflake plug=power-plug bird=dove=kiwi-bird
hospital sim-card radio database microphone=mic user=account archive bookmark download upload share arrow-up arrow-down arrow-left
arrow-right check=check-bold percent at play pause wine=glass-wine=wine-glass pizza=pizza-slice boat=ship=ferry
dice=dice-5=dice-five pill=pills=capsule factory=industry seedling=sprout=plant
"""
CONCEPTS = tuple(tuple(names.split("=")) for names in _NAMES.split())


@dataclass(frozen=True)
class Font:
    """A font of the package: its family, its licence, the beginning of its file's name, and its weights.

    ``weights`` maps an ending of an icon's name to the weight in which it is drawn; "" stands for all other endings.
    """

    family: str
    licence: str
    file: str
    weights: dict[str, str]

    def icon_set(self, name: str) -> str:
        """The set of the icon of that name, such as "Phosphor Thin"."""
        words = name.split("-")[1:]
        weight = next((self.weights[word] for word in words if word in self.weights), self.weights.get("", ""))
        return f"{self.family} {weight}".rstrip()


_PHOSPHOR = {"thin": "Thin", "light": "Light", "": "Regular", "bold": "Bold", "fill": "Fill"}
FONTS = (
    Font("Font Awesome", "CC BY 4.0, SIL OFL 1.1", "fontawesome6-solid", {"": "Solid"}),
    Font("Font Awesome", "CC BY 4.0, SIL OFL 1.1", "fontawesome6-regular", {"": "Regular"}),
    Font("Font Awesome", "CC BY 4.0, SIL OFL 1.1", "fontawesome5-solid", {"": "Solid"}),
    Font("Font Awesome", "CC BY 4.0, SIL OFL 1.1", "fontawesome5-regular", {"": "Regular"}),
    Font("Material Design Icons", "Apache 2.0", "materialdesignicons6", {"outline": "Outline"}),
    Font("Phosphor", "MIT", "phosphor", _PHOSPHOR),
    Font("Remix Icon", "Apache 2.0", "remixicon", {"": "Line", "fill": "Fill"}),
    Font("Elusive Icons", "SIL OFL 1.1", "elusiveicons", {}),
    Font("Codicons", "CC BY 4.0", "codicon", {}),
)
