/** Wellhead: serves an application's resources to MCP clients. */
export { Connection } from './connection.js';
export {
  Busy,
  ClosedError,
  type ErrorCode,
  LimitError,
  PermissionDenied,
  RegistrationError,
  ResourceNotFound,
  WellheadError,
} from './errors.js';
export { type Handle, type ResourceOptions, Server } from './server.js';
export { expand, type TemplateValue, type Vars } from './template.js';
export { NOT_MODIFIED } from './values.js';
export type {
  AccessRequest,
  Annotations,
  Authorizer,
  Body,
  Call,
  Caller,
  ConnectOptions,
  Contents,
  Descriptor,
  Explanation,
  Icon,
  Interest,
  InterestHandler,
  Limits,
  ListCall,
  Lister,
  LogLevel,
  Meta,
  Operation,
  Page,
  PageRequest,
  PassedOver,
  Reader,
  Resource,
  ResourceDescriptor,
  RunOptions,
  ServerOptions,
  Verdict,
} from './values.js';
