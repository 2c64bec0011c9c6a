import Diagnostics

/// Advice on registry refusals, shown when an operation is sent and when it is listed later.
enum RefusalAdvice {
  /// - Parameters:
  ///   - status: the registry's HTTP status.
  ///   - operation: the operation that was refused.
  ///   - library: the library's name, quoted for a shell.
  ///   - contentID: the item's id.
  /// - Returns: what to do; nil when there is no advice.
  static func text(_ status: Int, _ operation: QueueOperation?, library: String, contentID: String) -> String? {
    switch (status, operation) {
    case (409, .publish):
      "Remove it with 'fleetkit queue cancel', then publish the item again; it gets another public id."
    case (404, .publishUpdate):
      "Withdraw it with 'fleetkit unpublish', then publish it again; it gets another public id."
    case (404, _): nil
    case (412, _):
      "'fleetkit pull \(library) --id \(contentID)' merges both versions; 'fleetkit update \(library) --id \(contentID)"
        + " --take local' replaces the public version; '--take remote' accepts it."
    case (403, _): "Sign in as its owner, or remove it with 'fleetkit queue cancel'."
    case (413, _): "Split it into two items, and publish both."
    default: correct
    }
  }

  /// Advice for content that does not meet the rules.
  static let correct = "Correct the item, then publish or update it again."
}
