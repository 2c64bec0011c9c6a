@_exported import FleetKitCore
