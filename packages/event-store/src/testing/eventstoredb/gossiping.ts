import { randomUUID } from 'node:crypto'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { ClusterInfo, MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import type { sendUnaryData } from '@grpc/grpc-js'
import type { Faults } from './faults.ts'

const { FOLLOWER, LEADER } = gossip.MemberInfo.VNodeState

/** The call `Gossip.Read`: who is in the cluster, and who leads it. */
export const gossiping =
  (port: () => number, faults: Faults) =>
  (_call: unknown, answer: sendUnaryData<ClusterInfo>): void => {
    const { leader } = faults
    const members = [member('127.0.0.1', port(), leader ? FOLLOWER : LEADER)]
    if (leader) members.push(member(leader.host, leader.port, LEADER))
    const cluster = new gossip.ClusterInfo()
    cluster.setMembersList(members)
    answer(null, cluster)
  }

function member(host: string, port: number, state: MemberInfo.VNodeState): MemberInfo {
  const id = new shared.UUID()
  id.setString(randomUUID())
  const endPoint = new gossip.EndPoint()
  endPoint.setAddress(host)
  endPoint.setPort(port)
  const info = new gossip.MemberInfo()
  info.setInstanceId(id)
  info.setTimeStamp(String(Date.now()))
  info.setState(state)
  info.setIsAlive(true)
  info.setHttpEndPoint(endPoint)
  return info
}
