"""The room of the page fastap."""
