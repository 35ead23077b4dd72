/**
 * Where ranks are: the processors that they may use, their hosts, and the switches that connect these.
 *
 * <pre>
 *   NodeLocality     what a node tells of itself when a job is prepared
 *     Processor      a processor and its domains: core, cache, NUMA node, socket
 *   RankPlace        a rank: its host, its processor, its switches
 *   RankLevels       the levels of a communicator, of the places of its ranks
 * </pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.locality;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
