/** Wellhead: serves an application's resources to MCP clients. */
export type { Around, AroundCall } from './around.js';
export { Connection } from './connection.js';
export {
  Busy,
  ErrorFromClient,
  ClosedError,
  InputRequired,
  InsufficientScope,
  InvalidAnswer,
  InvalidState,
  LimitError,
  MethodError,
  MissingCapability,
  PermissionDenied,
  ResourceNotFound,
  ErrorFromServer,
  ToolError,
  Waiting,
} from './errors.js';
export { type ErrorCode, UsageError, WellheadError } from './wellheadError.js';
export type { Handle } from './fixed.js';
export type { NamedHandle } from './handle.js';
export type {
  FetchOptions,
  Grant,
  HandlerOptions,
  HttpOptions,
  Protection,
  Verifier,
  VerifyCall,
} from './httpOptions.js';
export type { HttpHandler } from './node.js';
export type {
  MethodCall,
  MethodHandler,
  MethodOptions,
  RequestOptions,
  SearchHandler,
  SearchResult,
  SearchResults,
} from './method.js';
export type {
  ConnectOptions,
  DirectoryOptions,
  ErrorCondition,
  Limits,
  Severity,
  ResourceOptions,
  RunOptions,
  ServeHttpOptions,
  ServerOptions,
  SkillsOptions,
  ToolLimits,
} from './options.js';
export type { LoggingLevel } from './loggingLevel.js';
export { Server } from './server.js';
export type { Skill, SkillFile, SkillLister, SkillPage, SkillRequest } from './skills.js';
export type { RequestHandler } from './conversation.js';
export type { InferInput, InferOutput, StandardSchema } from './standardSchema.js';
export { SharedBytes } from './shared.js';
export { TestClient, type TestClientOptions, type TestContents } from './testing.js';
export type { PromptDefinition, PromptHandler, PromptMessage, PromptValue } from './prompt.js';
export type { ToolArguments, ToolDefinition, ToolHandler, ToolSchema, ToolValue } from './tool.js';
export { Audio, type ContentBlock, Image, Result, type ResultOptions } from './toolResult.js';
export { expand, type TemplateValue, type Vars } from './template.js';
export { NOT_MODIFIED } from './contents.js';
export type { Body, BodySource, Contents, Reader } from './contents.js';
export type {
  AccessRequest,
  Annotations,
  Authorizer,
  Call,
  Cacheable,
  CacheHint,
  Caller,
  Completer,
  Completion,
  CompletionRequest,
  Counters,
  Descriptor,
  Explanation,
  Icon,
  Interest,
  InterestHandler,
  JsonObject,
  AnyCall,
  Lister,
  Meta,
  ObservedCall,
  ObservedEnd,
  Operation,
  Page,
  PageRequest,
  PassedOver,
  Resource,
  ResourceDescriptor,
  Session,
  Verdict,
} from './values.js';
