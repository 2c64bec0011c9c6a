import Interchange

/// A request for the selected items of a library.
public enum EnqueueRequest: Sendable {
  /// Publish those that are not public.
  /// - Parameters:
  ///   - canFork: whether others may make copies of their own.
  ///   - title: a new title for the one item that is selected, also while its publication waits; nil to keep titles.
  case publish(canFork: Bool = true, title: String? = nil)
  /// Send the changes of those that are public.
  /// - Parameters:
  ///   - changedOnly: whether to leave out items whose content equals the version that was sent last.
  ///   - takesLocal: whether to replace the public version, whoever changed it in the meantime.
  ///   - title: a new title for the one item that is selected; nil to keep titles.
  case update(changedOnly: Bool = false, takesLocal: Bool = false, title: String? = nil)
  /// Withdraw those that are public.
  case unpublish

  /// The command's name: `publish`, `update`, `unpublish`.
  public var verb: String {
    switch self {
    case .publish: "publish"
    case .update: "update"
    case .unpublish: "unpublish"
    }
  }

  /// The title that the selected item gets, trimmed; nil when titles are kept.
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

  /// Whether it is limited to changed items.
  var takesChangedOnly: Bool { if case .update(true, _, _) = self { true } else { false } }

  /// Whether it forbids others to make copies of their own.
  var forbidsCopies: Bool { if case .publish(false, _) = self { true } else { false } }

  /// Whether it withdraws items.
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
