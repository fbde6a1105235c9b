"""The title of the Start page, and its claim."""

TITLE = "See deep metric learning"
CLAIM = "Pixels find icons of the same style; a trained net finds icons of the same thing"
