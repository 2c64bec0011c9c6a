import Interchange

extension ContentPackFormat {
  /// Begins a pack.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    throw RunFailure(.internalError, "packs cannot be written yet")
  }
}
