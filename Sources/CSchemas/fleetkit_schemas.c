// The schemas of formats/schemas, embedded byte for byte. The compiler records each file as a dependency, so that the
// next build embeds an edited schema again.
//
// A new schema takes two lines here; a test compares this list with the folder.

#include "CSchemas.h"

// Every compiler that builds FleetKit supports #embed, but warns that it is part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bundle[] = {
#embed "../../formats/schemas/bundle.schema.json"
};
static const unsigned char canonical_bundle[] = {
#embed "../../formats/schemas/canonical/bundle.schema.json"
};
static const unsigned char canonical_checklist[] = {
#embed "../../formats/schemas/canonical/checklist.schema.json"
};
static const unsigned char canonical_flashcard_deck[] = {
#embed "../../formats/schemas/canonical/flashcard_deck.schema.json"
};
static const unsigned char canonical_library_item[] = {
#embed "../../formats/schemas/canonical/library-item.schema.json"
};
static const unsigned char canonical_practice_guide[] = {
#embed "../../formats/schemas/canonical/practice_guide.schema.json"
};
static const unsigned char canonical_record[] = {
#embed "../../formats/schemas/canonical/record.schema.json"
};
static const unsigned char checklist[] = {
#embed "../../formats/schemas/checklist.schema.json"
};
static const unsigned char config[] = {
#embed "../../formats/schemas/config.schema.json"
};
static const unsigned char flashcard_deck[] = {
#embed "../../formats/schemas/flashcard_deck.schema.json"
};
static const unsigned char front_matter[] = {
#embed "../../formats/schemas/front-matter.schema.json"
};
static const unsigned char library_item[] = {
#embed "../../formats/schemas/library-item.schema.json"
};
static const unsigned char pack[] = {
#embed "../../formats/schemas/pack.schema.json"
};
static const unsigned char pack_config[] = {
#embed "../../formats/schemas/pack-config.schema.json"
};
static const unsigned char practice_guide[] = {
#embed "../../formats/schemas/practice_guide.schema.json"
};
static const unsigned char publish_request[] = {
#embed "../../formats/schemas/publish-request.schema.json"
};
static const unsigned char record[] = {
#embed "../../formats/schemas/record.schema.json"
};

#define SCHEMA(name, bytes) {name, bytes, sizeof bytes}

// Sorted by name.
static const fleetkit_schema schemas[] = {
    SCHEMA("bundle", bundle),
    SCHEMA("canonical/bundle", canonical_bundle),
    SCHEMA("canonical/checklist", canonical_checklist),
    SCHEMA("canonical/flashcard_deck", canonical_flashcard_deck),
    SCHEMA("canonical/library-item", canonical_library_item),
    SCHEMA("canonical/practice_guide", canonical_practice_guide),
    SCHEMA("canonical/record", canonical_record),
    SCHEMA("checklist", checklist),
    SCHEMA("config", config),
    SCHEMA("flashcard_deck", flashcard_deck),
    SCHEMA("front-matter", front_matter),
    SCHEMA("library-item", library_item),
    SCHEMA("pack", pack),
    SCHEMA("pack-config", pack_config),
    SCHEMA("practice_guide", practice_guide),
    SCHEMA("publish-request", publish_request),
    SCHEMA("record", record),
};

size_t fleetkit_schema_count(void) { return sizeof schemas / sizeof schemas[0]; }

const fleetkit_schema *fleetkit_schema_at(size_t index) {
    return index < fleetkit_schema_count() ? &schemas[index] : NULL;
}
