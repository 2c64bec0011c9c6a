// Placeholder of YAMLText.
