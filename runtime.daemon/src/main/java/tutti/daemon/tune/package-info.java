/** Tables of rules made by measurement: points, the table and the plot that are made of them. Knows no cluster. */
package tutti.daemon.tune;
