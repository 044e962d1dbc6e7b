"""Settings of the documentation site, which ``make docs`` builds."""

from spark_jupyter import __version__ as release

project = "Spark for Jupyter"
author = "The spark_jupyter developers"
version = release

extensions = ["myst_parser", "sphinx_click", "sphinxcontrib.mermaid"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
myst_fence_as_directive = ["mermaid"]
# The pages of the rules are reached by their index; their examples hold shell lines and one-line extracts.
suppress_warnings = ["toc.not_included", "misc.highlighting_failure"]
exclude_patterns = ["_build", "*.ipynb"]

html_show_copyright = False
html_theme = "pydata_sphinx_theme"
html_title = f"Spark for Jupyter {release}"
html_theme_options = {"show_prev_next": True, "navigation_with_keys": True}
html_sidebars = {"index": []}
html_show_sourcelink = False
