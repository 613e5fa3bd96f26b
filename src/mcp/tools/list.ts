/** All tools. */
import type { Tool } from '../tool.ts';
import { listCatalog, reportRevenue } from './business.ts';
import { createCatalog } from './catalog.ts';
import { findCustomer, listEvents, showCustomer, showUsage } from './customers.ts';
import { explainInvoice, listOverdue, previewChange } from './invoices.ts';
import {
  listProposals,
  proposeCancellation,
  proposeChange,
  proposeCreditNote,
  proposeRefund,
} from './proposals.ts';
import { describeSchema, readDoc, runQuery, searchDocs } from './reference.ts';
import { simulate } from './simulation.ts';

/** The tools, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  findCustomer,
  showCustomer,
  showUsage,
  listEvents,
  explainInvoice,
  previewChange,
  listOverdue,
  reportRevenue,
  listCatalog,
  createCatalog,
  proposeRefund,
  proposeCreditNote,
  proposeCancellation,
  proposeChange,
  listProposals,
  simulate,
  searchDocs,
  readDoc,
  describeSchema,
  runQuery,
];
