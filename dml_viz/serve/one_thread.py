"""Sets the environment in which no thread of the server starts another for a product of matrices.

torch reads the environment when it is loaded, so this module is imported before all that imports torch.
"""

import os

from dml_viz.threads import ONE_THREAD

os.environ.update(ONE_THREAD)
