/**
 * The module {@code nearest}: an example of a module that communicates in its set-up and keeps what it found out there.
 *
 * <pre>{@code
 *   NearestModule -- threads(NearestParameters: quiet) --> ThreadRange
 *   NearestModule -- query(ranks) --> NearestInstance -- init --> RoundTrips.measure: SetupComm.barrier, send, recv, allreduce
 *   NearestInstance (Checkpointable) -- RoundTrips, segment, limit --> NearestBcast -- send, recv, CollException --> Plan
 * }</pre>
 */
package com.example.coll.nearest;
