"""Angular loss taken apart: one triangle in its own plane, what two losses ask of it, and all triangles of a batch."""
