import Interchange

/// What is asked for of the selected items of a library.
public enum EnqueueRequest: Sendable {
  /// Publish those that are not public.
  /// - Parameters:
  ///   - canFork: whether others may make copies of their own.
  ///   - title: a new title for the one item that is selected, also while its publication waits; nil to keep titles.
  case publish(canFork: Bool = true, title: String? = nil)
  /// Send what changed of those that are public.
  /// - Parameters:
  ///   - changedOnly: whether items are left out whose content is what was sent last.
  ///   - takesLocal: whether what is public is replaced, whoever changed it meanwhile.
  ///   - title: a new title for the one item that is selected; nil to keep titles.
  case update(changedOnly: Bool = false, takesLocal: Bool = false, title: String? = nil)
  /// Take back those that are public.
  case unpublish

  /// The command's name: `publish`, `update`, `unpublish`.
  public var verb: String {
    switch self {
    case .publish: "publish"
    case .update: "update"
    case .unpublish: "unpublish"
    }
  }

  /// The title that the selected item gets, without blanks around it; nil where titles stay.
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

  /// Whether it is about what changed alone.
  var takesChangedOnly: Bool { if case .update(true, _, _) = self { true } else { false } }

  /// Whether others may not make copies of their own.
  var forbidsCopies: Bool { if case .publish(false, _) = self { true } else { false } }

  /// Whether it takes items back.
  var isWithdrawal: Bool { if case .unpublish = self { true } else { false } }

  /// The word for what was done: `published`.
  var done: String {
    switch self {
    case .publish: "published"
    case .update: "updated"
    case .unpublish: "unpublished"
    }
  }
}
