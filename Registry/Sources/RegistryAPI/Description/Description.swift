import CDescription

/// The OpenAPI document of the interface, embedded in the binary.
public enum Description {
  /// The contents of `Description/openapi.json`.
  public static let openAPI: [UInt8] = {
    var count = 0
    guard let bytes = fleetkit_openapi(&count) else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }()
}
