"""What the start page is called, and what it claims."""

TITLE = "See deep metric learning"
CLAIM = "Pixels find icons of the same style; a trained net finds icons of the same thing"
