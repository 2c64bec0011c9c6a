// The official metaschemas of JSON Schema draft 2020-12, byte for byte.
#include "CMetaschemas.h"

// Every supported compiler knows #embed, but warns that it is part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char schema[] = {
#embed "draft2020-12/schema.json"
};
static const unsigned char core[] = {
#embed "draft2020-12/core.json"
};
static const unsigned char applicator[] = {
#embed "draft2020-12/applicator.json"
};
static const unsigned char unevaluated[] = {
#embed "draft2020-12/unevaluated.json"
};
static const unsigned char validation[] = {
#embed "draft2020-12/validation.json"
};
static const unsigned char meta_data[] = {
#embed "draft2020-12/meta-data.json"
};
static const unsigned char format_annotation[] = {
#embed "draft2020-12/format-annotation.json"
};
static const unsigned char format_assertion[] = {
#embed "draft2020-12/format-assertion.json"
};
static const unsigned char content[] = {
#embed "draft2020-12/content.json"
};

static const struct {
  const unsigned char *bytes;
  size_t length;
} all[] = {
    {schema, sizeof schema},
    {core, sizeof core},
    {applicator, sizeof applicator},
    {unevaluated, sizeof unevaluated},
    {validation, sizeof validation},
    {meta_data, sizeof meta_data},
    {format_annotation, sizeof format_annotation},
    {format_assertion, sizeof format_assertion},
    {content, sizeof content},
};

const unsigned char *json_metaschema(size_t index, size_t *length) {
  if (index >= sizeof all / sizeof all[0]) return NULL;
  *length = all[index].length;
  return all[index].bytes;
}
