// Placeholder of JSONSchema.
