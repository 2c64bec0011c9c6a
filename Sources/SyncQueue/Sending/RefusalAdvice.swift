import Diagnostics

/// What helps where the registry has said no, for whoever sends an operation and for whoever lists it later.
enum RefusalAdvice {
  /// - Parameters:
  ///   - status: the registry's, an HTTP status.
  ///   - operation: what was asked for.
  ///   - library: the library's name, quoted for a shell.
  ///   - contentID: the item's id.
  /// - Returns: what to do; nil where nothing is known that helps.
  static func text(_ status: Int, _ operation: QueueOperation?, library: String, contentID: String) -> String? {
    switch (status, operation) {
    case (409, .publish):
      "Take it out with 'fleetkit queue cancel', and publish the item again: it gets another public id."
    case (404, .publishUpdate):
      "Take it back with 'fleetkit unpublish', then publish it again: it gets another public id."
    case (404, _): nil
    case (412, _):
      "'fleetkit pull \(library) --id \(contentID)' merges both; 'fleetkit update \(library) --id \(contentID) --take "
        + "local' replaces what is public, and '--take remote' takes it."
    case (403, _): "Sign in as its owner, or take it out with 'fleetkit queue cancel'."
    case (413, _): "Make two items of it, and publish both."
    default: correct
    }
  }

  /// What helps where what was to be sent is not fit for it.
  static let correct = "Correct the item, then publish or update it again."
}
