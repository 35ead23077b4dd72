/**
 * The cluster as a node sees it: its members, links to them, and what nodes ask each other.
 *
 * <pre>{@code
 * links of commands and nodes -> ListeningNode (the port) -> LinkAdmission -> ServedChannels, by purpose
 * Cluster -> tutti.daemon.membership (members) and NodeLinks (a conversation with each node);  ClusterQuestions: asks them
 *         -> ClusterLinks, LinkProbe: speed of the links;  ClusterSeeds: joins the nodes of the settings
 * LostLink, LostNodes: what is known of what was lost
 * }</pre>
 */
@NullMarked
package tutti.daemon.cluster;

import org.jspecify.annotations.NullMarked;
