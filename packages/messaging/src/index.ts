export { createKafkaPublisher } from './kafka/publisher.ts'
export { startPublishing, type PublishingOptions, type RunningPublishing } from './publishing.ts'
