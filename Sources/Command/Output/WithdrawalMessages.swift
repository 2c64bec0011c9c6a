/// Messages about withdrawals, which take effect locally right away and at the registry later.
enum WithdrawalMessages {
  /// The operation's name in the queue.
  static let operation = "unpublish"

  /// Returns the message for a withdrawal that waits to be sent.
  static func waits(dryRun: Bool) -> String {
    "\(dryRun ? "it would be" : "it is") private here \(dryRun ? "immediately" : "now"); others can see it until "
      + "'fleetkit sync' sends the withdrawal"
  }

  /// Returns the message for a publication that was never sent.
  static func cancelled(dryRun: Bool) -> String {
    dryRun
      ? "it was never sent; it would be removed from the queue and become private immediately"
      : "it was never sent, so there is nothing to withdraw; it was removed from the queue and is private again"
  }
}
