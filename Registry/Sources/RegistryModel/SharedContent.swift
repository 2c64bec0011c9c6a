import Content

/// One publication, whole.
public struct SharedContent: Sendable, Equatable {
  public var head: ContentHead
  /// The app's document, canonical JSON.
  public var contentData: [UInt8]

  public init(head: ContentHead, contentData: [UInt8]) {
    self.head = head
    self.contentData = contentData
  }
}
