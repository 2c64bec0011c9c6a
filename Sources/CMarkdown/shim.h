// cmark-gfm, the parser that GitHub shows Markdown with: https://github.com/github/cmark-gfm
#include <cmark-gfm.h>
