import Interchange

/// What is asked for of the selected items of a library.
public enum EnqueueRequest: Sendable {
  /// Publish those that are not public.
  /// - Parameters:
  ///   - canFork: whether others may make copies of their own.
  ///   - title: a new title for the one item that is selected; nil to keep titles.
  case publish(canFork: Bool = true, title: String? = nil)
  /// Send what changed of those that are public.
  /// - Parameters:
  ///   - changedOnly: whether items are left out whose content is what was sent last.
  ///   - takesLocal: whether what is public is replaced, whoever changed it meanwhile.
  case update(changedOnly: Bool = false, takesLocal: Bool = false)
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

  /// The word for what was done: `published`.
  var done: String {
    switch self {
    case .publish: "published"
    case .update: "updated"
    case .unpublish: "unpublished"
    }
  }
}
