"""The file systems that versions lie on."""
