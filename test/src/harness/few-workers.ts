/** Settings of services in tests: several run at once on two cores, and each worker takes a while to start. */
export const FEW_WORKERS = { MEDIALOG_EXTRACTORS: '1', MEDIALOG_EMBEDDERS: '1' }
