"""The server of the app: what it refuses, its headers, its routes beside the pages."""
