import Hummingbird

/// Routes of Auth.
enum AuthRoutes {
  /// Adds them.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {}
}
