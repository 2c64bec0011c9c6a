/// How it is said what a withdrawal does here at once, and there later.
enum WithdrawalWords {
  /// The name of the operation in the queue.
  static let operation = "unpublish"

  /// One that waits to be sent.
  static func waits(dryRun: Bool) -> String {
    "\(dryRun ? "it would be" : "it is") private here \(dryRun ? "at once" : "now"); others see it until "
      + "'fleetkit sync' has sent the withdrawal"
  }

  /// A publication that was never sent.
  static func cancelled(dryRun: Bool) -> String {
    dryRun
      ? "it was never sent; it would leave the queue and be private again at once"
      : "it was never sent; it has left the queue and is private again, and there is nothing to withdraw"
  }
}
