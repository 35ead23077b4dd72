/**
 * Where ranks are: their processors, their hosts, and the switches that connect these.
 *
 * <pre>
 *   RankPlace        a rank: its host, its processor, its switches
 *   RankLevels       the levels of a communicator, of the places of its ranks
 * </pre>
 */
@NullMarked
package tutti.runtime.locality;

import org.jspecify.annotations.NullMarked;
