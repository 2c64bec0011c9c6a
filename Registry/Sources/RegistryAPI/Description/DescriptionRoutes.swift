import Hummingbird

/// The routes for the description.
enum DescriptionRoutes {
  /// Adds the routes to the document: one at the root, and one below the prefix of the interface that it describes.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    for path in ["/openapi.json", "\(RegistryRouter.prefix)/openapi.json"] {
      routes.get(RouterPath(path)) { _, _ in
        Response(
          status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
          body: .init(byteBuffer: .init(bytes: Description.openAPI)))
      }
    }
  }
}
