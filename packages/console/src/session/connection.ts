import { Store } from '../data/store.ts'

/** Whether the service answered last. */
export const connection = new Store<'there' | 'lost'>('there')
