export {
  PerennialProvider,
  useActions,
  useChangePreview,
  usePlans,
  useUsage,
  useViewer,
} from './react/hooks.tsx';
export type { Actions, PerennialProviderProps } from './react/hooks.tsx';
export { ManageSubscription, PricingTable, texts, Usage } from './react/parts.tsx';
export type { PartProps, PricingTableProps } from './react/parts.tsx';
export type { Initial, Reading, Session } from './react/store.ts';
export type * from './react/documents.ts';
