/**
 * The contract of a transport as tests: {@link tutti.runtime.transport.TransportContract} for every implementation, and the handler that it uses.
 *
 * <pre>{@code
 * class MyTransportTest extends TransportContract { Transport open() ... }
 * TransportContract -> LinkRecorder (handler at each end): frames, writable, closed, breaches of the contract
 * }</pre>
 */
package tutti.runtime.transport;
