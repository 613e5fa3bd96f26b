import { channel } from 'node:diagnostics_channel';

/** One call of a tool by an agent. */
export interface ToolCall {
  tool: string;
  /** `ok`, or the reason of the error. */
  result: string;
}

/** The diagnostics channel of tool calls; without subscribers it costs nothing. */
export const toolCalls = channel('perennial.mcp');

/** Publishes that a tool was called. */
export function publishCall(call: ToolCall): void {
  if (toolCalls.hasSubscribers) toolCalls.publish(call);
}
