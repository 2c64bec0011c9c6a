extension NoteMetadata {
  /// What can be made of front matter that is no YAML: its plain lines.
  init(lenient text: UnsafeBufferPointer<UInt8>) { self.init() }
}
