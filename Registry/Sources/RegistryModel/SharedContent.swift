import Content

/// One publication with its document.
public struct SharedContent: Sendable, Equatable {
  /// The data apart from the document.
  public var head: PublicationHead
  /// The app's document, canonical JSON.
  public var contentData: [UInt8]

  /// Creates an instance from its members.
  public init(head: PublicationHead, contentData: [UInt8]) {
    self.head = head
    self.contentData = contentData
  }
}
