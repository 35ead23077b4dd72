/** The module SPI: what an algorithm bundle offers, and the plan in which an algorithm describes a collective as data. */
@Export
@Version("0.1.0")
package tutti.coll;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
