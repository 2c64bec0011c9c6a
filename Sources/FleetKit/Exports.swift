@_exported import FleetKitCore
@_exported import Merging
@_exported import Migration
