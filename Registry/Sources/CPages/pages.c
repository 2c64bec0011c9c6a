// The templates, the stylesheet and the script of the pages, embedded byte for byte. The compiler records each file as a
// dependency, so that the next build embeds an edited file.

#include "CPages.h"

#include <string.h>

// Every compiler that builds FleetKit supports #embed, but warns that it is a C23 extension.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char author[] = {
#embed "../Pages/Resources/author.mustache"
};
static const unsigned char error[] = {
#embed "../Pages/Resources/error.mustache"
};
static const unsigned char feed[] = {
#embed "../Pages/Resources/feed.mustache"
};
static const unsigned char icon[] = {
#embed "../Pages/Resources/icon.svg"
};
static const unsigned char item[] = {
#embed "../Pages/Resources/item.mustache"
};
static const unsigned char items[] = {
#embed "../Pages/Resources/items.mustache"
};
static const unsigned char layout[] = {
#embed "../Pages/Resources/layout.mustache"
};
static const unsigned char list[] = {
#embed "../Pages/Resources/list.mustache"
};
static const unsigned char script[] = {
#embed "../Pages/Resources/script.js"
};
static const unsigned char sitemap[] = {
#embed "../Pages/Resources/sitemap.mustache"
};
static const unsigned char sitemaps[] = {
#embed "../Pages/Resources/sitemaps.mustache"
};
static const unsigned char style[] = {
#embed "../Pages/Resources/style.css"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  size_t count;
} resources[] = {
    {"author.mustache", author, sizeof author}, {"error.mustache", error, sizeof error},
    {"feed.mustache", feed, sizeof feed},       {"icon.svg", icon, sizeof icon},
    {"item.mustache", item, sizeof item},       {"items.mustache", items, sizeof items},
    {"layout.mustache", layout, sizeof layout}, {"list.mustache", list, sizeof list},
    {"script.js", script, sizeof script},       {"sitemap.mustache", sitemap, sizeof sitemap},
    {"sitemaps.mustache", sitemaps, sizeof sitemaps}, {"style.css", style, sizeof style},
};

const unsigned char *fleetkit_page_resource(const char *name, size_t *count) {
  for (size_t at = 0; at < sizeof resources / sizeof resources[0]; at++) {
    if (strcmp(resources[at].name, name) == 0) {
      *count = resources[at].count;
      return resources[at].bytes;
    }
  }
  return NULL;
}
