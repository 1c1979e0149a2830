import { useServer } from '../harness/suite.ts'
import { describeLifeOfMedia } from './suites/life-of-media.ts'

describeLifeOfMedia(useServer())
