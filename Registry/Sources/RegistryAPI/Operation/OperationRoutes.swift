import Hummingbird

/// Routes of Operation.
enum OperationRoutes {
  /// Adds them.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {}
}

extension OperationRoutes {
  /// Adds what surrounds every request.
  static func addMiddleware(to router: Router<RegistryContext>, _ registry: Registry) {}
}
