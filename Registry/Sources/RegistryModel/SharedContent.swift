import Content

/// One publication, whole.
public struct SharedContent: Sendable, Equatable {
  /// What stands around the document.
  public var head: ContentHead
  /// The app's document, canonical JSON.
  public var contentData: [UInt8]

  /// Makes it of its parts.
  public init(head: ContentHead, contentData: [UInt8]) {
    self.head = head
    self.contentData = contentData
  }
}
