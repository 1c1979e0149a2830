import type { RequestContext } from '../core/context.ts'
import { itemHistory, type HistoryPorts, type ItemHistory } from './item-history.ts'
import { requestHistory, type RequestHistory } from './request-history.ts'

export interface HistoryUseCases {
  /** What happened to an item, page by page. @throws MediaItemNotFound where nothing ever did */
  ofItem(context: RequestContext, query: { id: string; page: number; pageSize: number }): Promise<ItemHistory>
  /** Everything that one request caused. @throws RequestNotFound where nothing is known of it */
  ofRequest(context: RequestContext, id: string): Promise<RequestHistory>
}

export const history = (ports: HistoryPorts): HistoryUseCases => ({
  ofItem: (context, query) => itemHistory(ports, context, query),
  ofRequest: (context, id) => requestHistory(ports, context, id),
})
