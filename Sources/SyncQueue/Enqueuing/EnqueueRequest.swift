import Interchange

/// What to do with the selected items of a library.
public enum EnqueueRequest: Sendable {
  /// Publish the items that are not public.
  /// - Parameters:
  ///   - canFork: whether others may make their own copies.
  ///   - title: a new title for the only selected item, even while its publication waits; nil to keep titles.
  case publish(canFork: Bool = true, title: String? = nil)
  /// Send the changes of the items that are public.
  /// - Parameters:
  ///   - changedOnly: whether to leave out items whose content equals the version that was sent last.
  ///   - takesLocal: whether to replace the public version even if it was changed elsewhere in the meantime.
  ///   - title: a new title for the only selected item; nil to keep titles.
  case update(changedOnly: Bool = false, takesLocal: Bool = false, title: String? = nil)
  /// Withdraw the items that are public.
  case unpublish

  /// The command's name: `publish`, `update`, `unpublish`.
  public var verb: String {
    switch self {
    case .publish: "publish"
    case .update: "update"
    case .unpublish: "unpublish"
    }
  }

  /// The trimmed new title of the selected item; nil when titles are kept.
  var title: String? {
    switch self {
    case .publish(_, let title), .update(_, _, let title):
      title.map { title in
        var text = title[...].drop(while: \.isWhitespace)
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
      }
    case .unpublish: nil
    }
  }

  /// Whether the request is limited to changed items.
  var takesChangedOnly: Bool { if case .update(true, _, _) = self { true } else { false } }

  /// Whether the request forbids others to make their own copies.
  var forbidsCopies: Bool { if case .publish(false, _) = self { true } else { false } }

  /// Whether the request withdraws items.
  var isWithdrawal: Bool { if case .unpublish = self { true } else { false } }

  /// The past participle for messages: `published`.
  var done: String {
    switch self {
    case .publish: "published"
    case .update: "updated"
    case .unpublish: "unpublished"
    }
  }
}
