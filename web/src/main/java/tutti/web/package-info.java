/**
 * The live page of a node: an HTTP server on loopback with the page, its JSON and its events.
 *
 * <pre>{@code
 * PageComponent (setting tutti.web.port) -> PageServer -> PageAccess (host, origin, role of the token)
 *                                                      -> PageResources -> PageRoute (method, path, role needed)
 * ClusterSnapshots, MeasuredJobs, PlanPictures, ModuleChanges -> ClusterView (service of the daemon)
 * }</pre>
 */
@NullMarked
package tutti.web;

import org.jspecify.annotations.NullMarked;
