/// Schemas like those in real projects, each with valid documents.
enum SampleSchemas {
  static let all: [(schema: String, valid: [String])] = [checklist, alternatives, extended, tree, arrays]

  /// Objects with required members, enums, patterns and lengths.
  static let checklist = (
    schema: #"""
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.org/checklist.json",
     "type": "object", "required": ["id", "title", "sections"], "additionalProperties": false,
     "properties": {
      "id": {"type": "string", "pattern": "^[0-9A-F-]{4,}$"},
      "title": {"type": "string", "minLength": 1, "maxLength": 40},
      "kind": {"enum": ["departure", "arrival", "emergency", null]},
      "tags": {"type": "array", "items": {"type": "string", "minLength": 2}, "uniqueItems": true, "maxItems": 4},
      "sections": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/section"}}},
     "$defs": {
      "section": {"type": "object", "required": ["items"], "properties": {
        "title": {"type": ["string", "null"]}, "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
        "patternProperties": {"^x-": true}, "additionalProperties": false},
      "item": {"type": "object", "required": ["title"], "properties": {
        "title": {"type": "string", "minLength": 1}, "minutes": {"type": "integer", "minimum": 1, "maximum": 600},
        "weight": {"type": "number", "multipleOf": 0.25, "exclusiveMinimum": 0}, "done": {"type": "boolean"}},
        "dependentRequired": {"weight": ["minutes"]}}}}
    """#,
    valid: [
      #"{"id": "98A0-1F", "title": "Départ", "sections": [{"items": [{"title": "Seacocks"}]}]}"#,
      #"""
      {"id": "12AB", "title": "Night watch", "kind": "departure", "tags": ["deck", "night"],
       "sections": [{"title": "Lights", "x-note": 1, "items": [{"title": "Masthead", "minutes": 5, "weight": 1.25}]},
                    {"title": null, "items": []}]}
      """#,
    ]
  )

  /// A choice of documents, distinguished by a member.
  static let alternatives = (
    schema: #"""
    {"$id": "https://example.org/content.json", "oneOf": [
      {"properties": {"kind": {"const": "checklist"}, "items": {"type": "array", "items": {"type": "string"}}},
       "required": ["kind", "items"]},
      {"properties": {"kind": {"const": "deck"}, "cards": {"type": "array", "items": {"type": "object",
        "required": ["front"], "properties": {"front": {"type": "string"}, "back": {"$ref": "#/$defs/face"}}}}},
       "required": ["kind", "cards"]},
      {"properties": {"kind": {"enum": ["guide", "story"]}, "text": {"type": "string"}}, "required": ["kind", "text"]}],
     "if": {"properties": {"kind": {"const": "guide"}}, "required": ["kind"]},
     "then": {"required": ["title"]}, "else": {"not": {"required": ["author"]}},
     "$defs": {"face": {"anyOf": [{"type": "string"}, {"type": "array", "contains": {"type": "string"}}, {"type": "null"}]}}}
    """#,
    valid: [
      #"{"kind": "checklist", "items": ["a", "b"]}"#, #"{"kind": "guide", "text": "Reef early", "title": "Reefing"}"#,
      #"{"kind": "deck", "cards": [{"front": "Red over red", "back": ["not under command", 1]}, {"front": "x", "back": null}]}"#,
    ]
  )

  /// A base schema that others extend, closed with `unevaluatedProperties`.
  static let extended = (
    schema: #"""
    {"$id": "https://example.org/extended.json", "$ref": "base.json", "type": "object",
     "properties": {"title": {"type": "string"}},
     "anyOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]},
               {"properties": {"b": {"type": "string"}}, "required": ["b"]}, {"patternProperties": {"^x-": {"type": "number"}}}],
     "dependentSchemas": {"a": {"properties": {"c": {"minimum": 2}}}},
     "unevaluatedProperties": false,
     "$defs": {"base": {"$id": "base.json", "properties": {"id": {"type": "string"}, "items": {"type": "array",
       "prefixItems": [{"type": "integer"}], "contains": {"type": "string"}, "unevaluatedItems": {"type": "null"}}},
       "required": ["id"]}}}
    """#,
    valid: [
      #"{"id": "1", "title": "t", "a": 1, "c": 3}"#, #"{"id": "1", "b": "x", "x-1": 2}"#,
      #"{"id": "2", "items": [1, "a", null, "b"]}"#,
    ]
  )

  /// A tree that a dynamic anchor closes from outside.
  static let tree = (
    schema: #"""
    {"$id": "https://example.org/strict-tree.json", "$dynamicAnchor": "node", "$ref": "tree.json",
     "unevaluatedProperties": false,
     "$defs": {"tree": {"$id": "tree.json", "$dynamicAnchor": "node", "type": "object", "properties": {
       "title": {"type": "string"}, "next": {"$dynamicRef": "#node"},
       "items": {"type": "array", "items": {"$dynamicRef": "#node"}}}}}}
    """#,
    valid: [
      #"{"title": "a", "items": [{"title": "b"}, {"next": {"title": "c", "items": []}}]}"#,
      #"{"next": {"next": {"next": {"items": [{}]}}}}"#,
    ]
  )

  /// Arrays with prefixes and counts, and objects with constraints on their names and sizes.
  static let arrays = (
    schema: #"""
    {"type": "object", "propertyNames": {"pattern": "^[a-z0-9-]+$", "maxLength": 6}, "minProperties": 1, "maxProperties": 4,
     "properties": {
      "a": {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"enum": [1, "a", null, [1], {"a": 1}]}},
      "b": {"contains": {"type": "integer", "minimum": 2}, "minContains": 2, "maxContains": 3},
      "c": {"uniqueItems": true, "items": {"not": {"const": 1}}},
      "items": {"enum": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "a", "b", "c", {"a": 1, "b": [1.0]}, [2, "x"], null]}}}
    """#,
    valid: [
      #"{"a": [1, "x", 1, [1.0], {"a": 1}], "b": [2, 3, "x", 1]}"#,
      #"{"c": [2, 3, {"a": 1}, {"a": 2}], "items": {"b": [1], "a": 1.0}}"#,
    ]
  )
}
