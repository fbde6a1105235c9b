"""The room of the page Train live."""
